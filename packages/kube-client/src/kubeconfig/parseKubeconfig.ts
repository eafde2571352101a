import { checkLeniently, type InvalidInput, type Problem, problemAt, show, unknownField } from "@rollcall/input"
import { parseDocument } from "@rollcall/input/documents"
import * as Result from "effect/Result"
import { Kubeconfig } from "./Kubeconfig.ts"

export interface ParsedKubeconfig {
  readonly config: Kubeconfig
  /** Unknown fields, which have no effect. */
  readonly warnings: ReadonlyArray<Problem>
}

/** Credentials are not shown in messages. */
const SECRET = /^(token|password|client-key-data|client-certificate-data|certificate-authority-data|value)$/

const shown = (value: unknown, name: string): string =>
  SECRET.test(name) && typeof value === "string" ? "a string" : show(value)

const check = checkLeniently(Kubeconfig, { refuses: () => false, shown })

/** Parses and checks a kubeconfig. An empty file is an empty configuration, as for kubectl. */
export const parseKubeconfig = (file: string, text: string): Result.Result<ParsedKubeconfig, InvalidInput> =>
  parseDocument(file, text).pipe(
    Result.flatMap((value) => check(file, value ?? {})),
    Result.map(({ unknown, value: config }) => ({
      config,
      warnings: unknown.map(({ known, name, path }) => problemAt(file, path, unknownField(name, known)))
    }))
  )
