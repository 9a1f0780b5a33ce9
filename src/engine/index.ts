// Contracts as mocks, without native code. `contract/msw` and `routeContract` use this.
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
