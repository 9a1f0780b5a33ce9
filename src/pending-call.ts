// The interaction whose method is being called. JavaScript evaluates `interaction.withBody` before its arguments. If an
// argument throws, for example because of an invalid matcher, the method is never called, and the interaction is incomplete.
import type { NativeInteraction } from './native/binding.js'

let pending: NativeInteraction | undefined

/** Starts a call, whose arguments are evaluated next. */
export function startCall(interaction: NativeInteraction | undefined): void {
  pending = interaction
  // If an argument contains `await`, other tests can run before the call.
  if (interaction !== undefined) queueMicrotask(endCall)
}

/** Ends the pending call. */
export function endCall(): void {
  pending = undefined
}

/** Reports that an argument of the pending call could not be created. */
export function abortCall(problem: string): void {
  pending?.abortCall(problem)
  pending = undefined
}
