import { readFileSync } from "node:fs"
import type { Case } from "./Case.ts"

/** Checks by expression and exit code that any kubectl of the last years passes. */
export const looseCases = (): ReadonlyArray<Case> => {
  const file = new URL("../fixtures/loose/kubectl.json", import.meta.url)
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: ReadonlyArray<Case> }
  return cases
}
