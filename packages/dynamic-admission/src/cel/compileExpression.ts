import type { ExpressionFault, Expressions, ExpressionUse, MakeExpressions } from "@rollcall/api/validation"
import { type CelType, CompileFault, compile, DYN, formatType, type Program, unwrapped } from "@rollcall/cel"
import { messageTypeOf, variablesFor, variablesType } from "./environment.ts"

/** A compiled expression, or what is wrong with it. */
export interface Expression {
  readonly text: string
  readonly program: Program | undefined
  readonly type: CelType
  readonly fault: ExpressionFault | undefined
}

const invalid = (detail: string): ExpressionFault => ({ type: "FieldValueInvalid", detail })

const kinds: Readonly<Record<ExpressionUse["returns"], ReadonlyArray<string>>> = {
  any: [],
  bool: ["bool"],
  string: ["string"],
  stringOrNull: ["string", "null_type"],
  object: ["Object"],
  patch: ["list(JSONPatch)"]
}

/** Compiles an expression. Upstream: apiserver/pkg/admission/plugin/cel/compile.go, CompileCELExpression. */
export const compileExpression = (text: string, use: ExpressionUse, variables?: CelType): Expression => {
  const compiled = compile(text, variablesFor(use, variables), DYN, use.patches === true ? { messageTypeOf } : {})
  if (compiled instanceof CompileFault && compiled.type === undefined) {
    return { text, program: undefined, type: DYN, fault: invalid(compiled.described) }
  }
  const { type = DYN } = compiled
  const allowed = kinds[use.returns]
  const shown = formatType(type)
  if (allowed.length > 0 && !allowed.includes(formatType(unwrapped(type)))) {
    const wanted = allowed.length === 1 ? allowed[0] : `one of [${allowed.join(" ")}]`
    return { text, program: undefined, type, fault: invalid(`must evaluate to ${wanted} but got ${shown}`) }
  }
  if (!(compiled instanceof CompileFault)) return { text, program: compiled.program, type, fault: undefined }
  return { text, program: undefined, type, fault: { type: "InternalError", detail: compiled.described } }
}

/** Compiles the expressions of an object that is written. */
export const makeExpressions: MakeExpressions = (composes = false): Expressions => {
  const types = new Map<string, CelType>()
  return {
    check: (text, use) => compileExpression(text, use).fault,
    variable: (name, text, use) => {
      const compiled = compileExpression(text, use, variablesType(types))
      types.set(name, compiled.type)
      return compiled.fault
    },
    checkComposed: (text, use) => {
      const variables = composes ? variablesType(types) : undefined
      return compileExpression(text, use, variables).fault
    }
  }
}
