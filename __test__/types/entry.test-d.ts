import * as contract from 'contract'
import { expectTypeOf } from 'expect-type'

expectTypeOf(contract.version).toEqualTypeOf<string>()
