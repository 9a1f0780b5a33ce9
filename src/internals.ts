// The functions and classes that the runner adapters use. Each adapter is a separate bundle, so that importing the package does
// not load it. The adapters access this module through a property of `Contract` that is neither enumerable nor documented.
import { rejectCall } from './arguments.js'
import { Contract, startServer } from './contract.js'
import { ContractArgumentError, ContractError, MismatchesError, ServeTimeoutError, withoutCode } from './errors.js'
import { contracts, nativeOf, servers } from './handles.js'
import { MockServer } from './mock-server.js'
import { endFile, endRun, fileEnded, runEnded } from './obsolete.js'
import { NodeTestRun } from './obsolete-reporters.js'
import { origin } from './origin.js'
import { setOwner } from './owner.js'
import { setRound, setRoundForWorkers } from './provenance.js'
import { TrafficRecorder } from './recorder.js'
import { isPartOfNodeTest, mochaFiles, removeObsolete, statusOf } from './remove-obsolete.js'
import { endTest, mismatchesError } from './run-test.js'
import { compareWithTemplate } from './template-comparison.js'
import { useColors } from './terminal.js'

const internals = {
  Contract,
  ContractArgumentError,
  ContractError,
  MismatchesError,
  MockServer,
  NodeTestRun,
  ServeTimeoutError,
  TrafficRecorder,
  compareWithTemplate,
  contracts,
  endFile,
  endRun,
  endTest,
  fileEnded,
  isPartOfNodeTest,
  mismatchesError,
  mochaFiles,
  nativeOf,
  origin,
  rejectCall,
  removeObsolete,
  runEnded,
  servers,
  setOwner,
  setRound,
  setRoundForWorkers,
  startServer,
  statusOf,
  useColors,
  withoutCode,
}

Object.defineProperty(Contract, Symbol.for('contract.internals'), { value: internals })
