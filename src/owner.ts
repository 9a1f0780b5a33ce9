// The owner of a contract: the test for which a runner adapter created it.
import type { InteractionKind } from './contract.js'
import type { NativeContract, NativeInteraction } from './native/binding.js'
import type { CurrentTest } from './provenance.js'

/** The owner of a contract. Contracts that tests create themselves have no owner. */
export interface ContractOwner {
  /** The test and its file. */
  readonly current: CurrentTest
  /** The timeout of the test in milliseconds; 0 means no limit, `undefined` means unknown. */
  readonly timeout: number | undefined
  /** Called before a method of the contract that only the running test may call. Throws if the test has ended. */
  enter(call: string): void
  /** Called when the test starts to define an interaction, with the call site. */
  defined(interaction: NativeInteraction, kind: InteractionKind, place: string): void
  /** Called when the interactions of a kind are served, verified, or otherwise used. */
  claimed(kind: InteractionKind | 'All'): void
}

const owners = new WeakMap<NativeContract, ContractOwner>()

export function setOwner(contract: NativeContract, owner: ContractOwner): void {
  owners.set(contract, owner)
}

export function ownerOf(contract: NativeContract | undefined): ContractOwner | undefined {
  return contract === undefined ? undefined : owners.get(contract)
}
