// The owner of a contract: the test for which a runner adapter created it.
import type { InteractionKind } from './contract.js'
import type { NativeContract, NativeInteraction } from './native/binding.js'
import type { CurrentTest } from './provenance.js'

/** The owner of a contract: the test for which an adapter created it. Contracts that users create have no owner. */
export interface ContractOwner {
  /** The file and the name of the test. */
  readonly current: CurrentTest
  /** The test's timeout in milliseconds. 0 means that there is no timeout, and `undefined` that it is unknown. */
  readonly timeout: number | undefined
  /**
   * Called before each method of the contract that may only be called while the test runs. Throws if the test has
   * ended.
   */
  enter(call: string): void
  /** Called when the test starts to define an interaction. `place` is the call site: `file:line:column`. */
  defined(interaction: NativeInteraction, kind: InteractionKind, place: string): void
  /** Called when the interactions of a kind are served, verified, or used in another way. */
  claimed(kind: InteractionKind | 'All'): void
}

const owners = new WeakMap<NativeContract, ContractOwner>()

export function setOwner(contract: NativeContract, owner: ContractOwner): void {
  owners.set(contract, owner)
}

export function ownerOf(contract: NativeContract | undefined): ContractOwner | undefined {
  return contract === undefined ? undefined : owners.get(contract)
}
