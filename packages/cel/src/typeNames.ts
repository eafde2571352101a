import type { Expr } from "./ast.ts"
import { libraryTypeNames } from "./library/libraries.ts"
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT
} from "./types.ts"
import { typeName, type Value } from "./values.ts"
import { wellKnown } from "./wellKnown.ts"

const literals: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  int: INT,
  null_type: NULL,
  string: STRING,
  uint: UINT
}

/** Returns the type of a literal. */
export const literalType = (value: Value): CelType => literals[typeName(value)] ?? DYN

/** The types by the names that expressions use for them: `type(self) == int`. */
const typeNames: Readonly<Record<string, CelType>> = {
  ...literals,
  "google.protobuf.Duration": DURATION,
  "google.protobuf.Timestamp": TIMESTAMP,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  ...libraryTypeNames,
  optional_type: { ...optionalOf(DYN), params: [] },
  type: { ...typeOf(DYN), params: [] }
}

/** Returns `a.b.c` if the expression consists only of names. */
export const qualifiedName = (expr: Expr): string | undefined => {
  if (expr.kind === "ident") return expr.name
  if (expr.kind !== "select" || expr.testOnly) return undefined
  const operand = qualifiedName(expr.operand)
  return operand === undefined ? undefined : `${operand}.${expr.field}`
}

/** Returns the first of the names in `a.b.c`. */
export const rootName = (qualified: string): string => qualified.slice(0, qualified.indexOf("."))

/** Returns the type of a name; undefined if it names none. */
export const typeNamed = (name: string): CelType | undefined =>
  Object.hasOwn(typeNames, name) ? typeNames[name] : wellKnown(name)?.type
