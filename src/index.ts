/**
 * Consumer tests and provider verification: `Contract` for consumers, `Verifier` for providers, and the namespaces `match`,
 * `generate`, `xml`, `graphql`, and `broker`.
 *
 * @module contract
 */

export type { App, AppObject, FetchHandler } from './app.js'
export type { NamedValue, NamedValues } from './arguments.js'
export * as broker from './broker.js'
export type {
  InteractionKind,
  ServeCallback,
  Specification,
  VariantsOptions,
} from './contract.js'
export { Contract } from './contract.js'
export type { FailedVariant } from './errors.js'
export {
  ContractArgumentError,
  ContractError,
  ContractFileError,
  MismatchesError,
  MockServerError,
  ServeTimeoutError,
  VariantsError,
  VerificationError,
} from './errors.js'
export type { Logger, LogLevel, LogRecord } from './ffi.js'
export { contract_ffi } from './ffi.js'
export * as generate from './generate.js'
export type * from './generated/definitions.js'
export type * from './generated/options.js'
export type * from './generated/report.js'
export type { JournalEntry } from './generated/requests.js'
export type { GuessedRule, RecordedContract, SkippedRequest } from './generated/results.js'
export * as graphql from './graphql.js'
export type {
  BodyDefinition,
  HttpInteraction,
  Times,
} from './http-interaction.js'
export type {
  BinaryOptions,
  BodyOptions,
  GivenOptions,
  Interaction,
  MessagePart,
  Part,
  PartOptions,
} from './interaction.js'
export type * from './json.js'
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
  MessageMapping,
  MessageRequest,
  MessageResult,
} from './message-handlers.js'
export type { AsyncMessageInteraction, SyncMessageInteraction } from './message-interaction.js'
export type { MessageHandler } from './message-verification.js'
export type { Message, MessageContents, MessageKind, MessageState } from './messages.js'
export { bodyHandler } from './messages.js'
export type * from './mismatch.js'
export type { MockServer } from './mock-server.js'
export { JestReporter, nodeTestReporter } from './obsolete-reporters.js'
export type { RecordableServer } from './record.js'
export { recordHar, recordWith } from './record.js'
export type { ContractRecorder, TestRecordOptions } from './recorder.js'
export type { HookRunner, VitestRunner } from './remove-obsolete.js'
export { removeObsolete, vitestRuns } from './remove-obsolete.js'
export type { ReportFormat } from './reports.js'
export { formatReport, writeReport } from './reports.js'
export { serveAll } from './serve-all.js'
export type { SuiteRunner } from './suite.js'
export type { Generator, Infer, Matcher, Template } from './template.js'
export { example } from './template.js'
export type { ContractVariant, VariantAnswer, VariantKind, VariantOptions, VariantSet } from './variants.js'
export type { BrokerSourceOptions, ConsumerVersionSelector, SelectorOptions } from './verifier/broker-source.js'
export { BrokerSelectorBuilder } from './verifier/broker-source.js'
export type {
  AfterEach,
  AppTransport,
  BeforeEach,
  HeaderValue,
  Source,
  TransportOptions,
  VerifierOptions,
} from './verifier/options.js'
export type { MutableRequest, RequestFilter } from './verifier/request.js'
export type * from './verifier/states.js'
export { Verifier } from './verifier.js'
export { version } from './version.js'
export * as xml from './xml.js'

import './internals.js'
