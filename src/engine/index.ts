// Serves contracts as mocks, without native code. `contract/msw` and `routeContract` use this module.
export { Instance } from './instance.js'
export {
  type Answer,
  isWithoutBody,
  type MockResponse,
  problemOf,
  type ReceivedRequest,
  ServedContracts,
} from './served-contracts.js'
export type * from './types.js'
