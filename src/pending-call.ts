// The interaction whose method is being called. JavaScript evaluates `interaction.withBody` before its arguments. If an
// argument throws, for example because of an invalid matcher, the method is never called, and the interaction is incomplete.
import type { NativeInteraction } from './native/binding.js'

let pending: NativeInteraction | undefined

/** Records that a method of the interaction is being called. Its arguments are evaluated next. */
export function startCall(interaction: NativeInteraction | undefined): void {
  pending = interaction
  // If an argument contains `await`, other tests can run before the call.
  if (interaction !== undefined) queueMicrotask(endCall)
}

/** Records that no call is pending, because the method has received its arguments. */
export function endCall(): void {
  pending = undefined
}

/** Marks the interaction of the pending call as incomplete, because an argument could not be created. */
export function abortCall(problem: string): void {
  pending?.abortCall(problem)
  pending = undefined
}
