export type {
  ContractOptions,
  ServeCallback,
  ServeOptions,
  ServerLimits,
  Specification,
  TlsOptions,
} from './contract.js'
export { Contract } from './contract.js'
export {
  ContractArgumentError,
  ContractError,
  ContractFileError,
  MismatchesError,
  MockServerError,
  ServeTimeoutError,
  VerificationError,
} from './errors.js'
export type { Logger, LogLevel, LogRecord } from './ffi.js'
export { contract_ffi } from './ffi.js'
export type {
  AsyncMessageInteraction,
  BodyOptions,
  GivenOptions,
  HttpInteraction,
  MessagePart,
  NamedValue,
  NamedValues,
  Part,
  PartOptions,
  SyncMessageInteraction,
  Times,
} from './interaction.js'
export type { JsonObject, JsonValue } from './json.js'
export * as match from './match.js'
export type {
  EndpointRequest,
  EndpointResponse,
  MessageEndpoint,
  MessageEndpointOptions,
  MessageListener,
} from './message-endpoint.js'
export { messageEndpoint, startMessageEndpoint } from './message-endpoint.js'
export { MessageError, MessageVerificationError } from './message-error.js'
export type {
  MessageEnvelope,
  MessageFunction,
  MessageHandlerOptions,
  MessageMapping,
  MessageRequest,
  MessageResult,
} from './message-handlers.js'
export type { MessageHandler, MessageVerifyOptions } from './message-verification.js'
export type { Message, MessageContents, MessageKind, MessageState } from './messages.js'
export { bodyHandler } from './messages.js'
export type {
  ClosestInteraction,
  InteractionName,
  Mismatch,
  ReceivedRequest,
  ServedInteractionName,
  ServerMismatch,
} from './mismatch.js'
export type { JournalEntry, MockServer } from './mock-server.js'
export type {
  ContractReport,
  InteractionError,
  InteractionReport,
  InteractionStatus,
  VerificationReport,
} from './report.js'
export { serveAll } from './serve-all.js'
export type { Infer, Matcher, Template } from './template.js'
export { example } from './template.js'
export type {
  FilterOptions,
  StateAction,
  StateFunction,
  StateHandlerOptions,
  StateMapping,
  StateValues,
  TransportOptions,
  VerifyRunOptions,
} from './verifier.js'
export { Verifier } from './verifier.js'
export { version } from './version.js'
