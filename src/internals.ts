// The functions and classes of this bundle that the runner adapters and `deferred.ts` use. Adapters get them from a function
// that is a property of `Contract`, neither enumerable nor documented. `deferred()` passes them to its bundle.
import { operationText, optionsData, pathData, rejectCall, textData } from './arguments.js'
import { Contract, startServer } from './contract.js'
import { bytesOf, encoded, tryRead } from './encoded.js'
import {
  ContractArgumentError,
  ContractError,
  MismatchesError,
  ServeTimeoutError,
  VariantsError,
  withoutCode,
} from './errors.js'
import { Functions } from './functions.js'
import { callContext, contracts, nativeOf, servers } from './handles.js'
import { deferred, setInternals } from './load-deferred.js'
import { MessageError, MessageVerificationError, thrownText } from './message-error.js'
import { contentsOf } from './messages.js'
import { MockServer, withVariant } from './mock-server.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { endFile, endRun, fileEnded, isPartOfNodeTest, runEnded, statusOf } from './obsolete.js'
import { http, net, stream } from './on-demand.js'
import { origin } from './origin.js'
import { ownerOf, setOwner } from './owner.js'
import { currentTest, setCurrentTest, setRound, setRoundForWorkers, testOfState } from './provenance.js'
import { endTest, mismatchesError, nameOfTest, runTest } from './run-test.js'
import { tagOf, toJsonText } from './template.js'
import { settle } from './timeout.js'
import { splitVariants } from './variants.js'

const internals = () => ({
  Contract,
  ContractArgumentError,
  ContractError,
  Functions,
  MessageError,
  MessageVerificationError,
  MismatchesError,
  MockServer,
  ServeTimeoutError,
  VariantsError,
  bytesOf,
  callContext,
  check,
  contentsOf,
  contracts,
  currentTest,
  deferred,
  encoded,
  endFile,
  endRun,
  endTest,
  fileEnded,
  http,
  isPartOfNodeTest,
  mismatchesError,
  nameOfTest,
  native,
  nativeOf,
  net,
  operationText,
  optionsData,
  origin,
  ownerOf,
  pathData,
  rejectCall,
  runEnded,
  runTest,
  servers,
  setCurrentTest,
  setOwner,
  setRound,
  setRoundForWorkers,
  settle,
  splitVariants,
  startServer,
  statusOf,
  stream,
  tagOf,
  testOfState,
  textData,
  thrownText,
  toJsonText,
  tryRead,
  unwrap,
  withVariant,
  withoutCode,
})

Object.defineProperty(Contract, Symbol.for('contract.internals'), { value: internals })
setInternals(internals)
