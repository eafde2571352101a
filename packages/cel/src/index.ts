// Expressions: compiled with the types of their variables, and what they cost at most.

export { type Compiled, CompileFault, compile, compileInSteps } from "./compile.ts"
export type { MessageTypeOf } from "./declarations.ts"
export { MAX_ESTIMATE } from "./estimateSizes.ts"

// Expressions that select devices.

export {
  compileDeviceSelector,
  type DeviceSelectorFault,
  type DeviceSelectorProgram,
  deviceValue,
  MAX_SELECTOR_COST,
  selectsDevice
} from "./deviceSelectors.ts"

// Types of variables.

export {
  anyFields,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  objectOf,
  optionalOf,
  STRING,
  sized,
  TIMESTAMP,
  unwrapped
} from "./types.ts"

// Types and values of JSON by its schema.

export { type CelSchema, celName, celTypeOf, MAX_REQUEST_BYTES, partType } from "./schemaTypes.ts"
export { celValue } from "./schemaValues.ts"

// Values, and the budget of an evaluation.

export { parseDuration, parseTimestamp } from "./conversions.ts"
export type { Program } from "./evaluate.ts"
export { CostExceeded, Meter, PER_CALL_LIMIT, RUNTIME_BUDGET } from "./Meter.ts"
export { CelError, CelList, CelMap, type Key, type ListKeys, MessageValue, Optional, type Value } from "./values.ts"

// What expressions ask an authorizer.

export {
  AUTHORIZER,
  type AuthorizationAnswer,
  type AuthorizationCheck,
  type Authorize,
  Authorizer,
  RESOURCE_CHECK,
  ResourceCheck
} from "./library/authz.ts"

// What the library of Kubernetes brings along: Go's regular expressions and addresses.

export { uriProblem } from "./library/url.ts"
export { compilePattern, compileSteps, Pattern, PatternFault } from "./patterns.ts"
