import type { ExpressionFault, Expressions, ExpressionUse, MakeExpressions } from "@rollcall/api/validation"
import { type CelType, CompileFault, compile, DYN, formatType, type Program } from "@rollcall/cel"
import { messageTypeOf, variablesFor, variablesType } from "./environment.ts"

/** A compiled expression, or what is wrong with it. */
export interface Expression {
  readonly text: string
  readonly program: Program | undefined
  readonly type: CelType
  readonly fault: string | undefined
}

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
  if (compiled instanceof CompileFault) {
    return { text, program: undefined, type: DYN, fault: compiled.described }
  }
  const { program, type } = compiled
  const allowed = kinds[use.returns]
  const shown = formatType(type)
  if (allowed.length === 0 || allowed.includes(shown)) return { text, program, type, fault: undefined }
  const wanted = allowed.length === 1 ? allowed[0] : `one of [${allowed.join(" ")}]`
  return { text, program: undefined, type, fault: `must evaluate to ${wanted} but got ${shown}` }
}

const faultOf = ({ fault }: Expression): ExpressionFault | undefined =>
  fault === undefined ? undefined : { type: "FieldValueInvalid", detail: fault }

/** Compiles the expressions of an object that is written. */
export const makeExpressions: MakeExpressions = (composes = false): Expressions => {
  const types = new Map<string, CelType>()
  return {
    check: (text, use) => faultOf(compileExpression(text, use)),
    variable: (name, text, use) => {
      const compiled = compileExpression(text, use, variablesType(types))
      types.set(name, compiled.type)
      return faultOf(compiled)
    },
    checkComposed: (text, use) => {
      const variables = composes ? variablesType(types) : undefined
      return faultOf(compileExpression(text, use, variables))
    }
  }
}
