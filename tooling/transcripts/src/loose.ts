import { readFileSync } from "node:fs"
import type { Case } from "./Case.ts"
import type { Kubectl } from "./findKubectl.ts"

/** Returns cases that check expressions and exit codes only, limited to the commands of this kubectl version: Debian 12 has v1.20. */
export const looseCases = ({ version }: Kubectl): ReadonlyArray<Case> => {
  const file = new URL("../fixtures/loose/kubectl.json", import.meta.url)
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: ReadonlyArray<Case> }
  const minor = Number(/^v1\.(\d+)/.exec(version)?.[1] ?? 0)
  return cases.filter(({ since = 0 }) => minor >= since)
}
