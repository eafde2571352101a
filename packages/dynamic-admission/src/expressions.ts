export { makeExpressions } from "./cel/compileExpression.ts"
