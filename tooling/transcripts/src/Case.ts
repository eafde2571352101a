import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** A JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The user of a request: a context of the case's kubeconfig. */
export type Who = "admin" | "worker-1" | "alice" | "anonymous" | "bad-token"

/** The comparison options of both kinds of steps. */
interface Comparison {
  readonly mask?: ReadonlyArray<readonly [pattern: string, replacement: string]>
  readonly only?: string
  /** Repeats the step until the response matches. */
  readonly until?: string
}

export interface CommandStep extends Comparison {
  readonly argv: ReadonlyArray<string>
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  readonly exit: number | null
  /** Expressions that its output on either stream must match, for checks that any kubectl version passes. */
  readonly like?: ReadonlyArray<string>
  readonly stdout?: string
  readonly stderr?: string
  readonly stop_after?: number
  readonly silent_start?: boolean
  readonly during?: ReadonlyArray<ReadonlyArray<string>>
  readonly sorted?: boolean
  readonly loose?: boolean
  readonly docs?: boolean
  /** The timeout in seconds; default 90. */
  readonly timeout?: number
}

export interface HttpStep extends Comparison {
  readonly http: {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
    readonly bodyRepeat?: { readonly text: string; readonly times: number }
    readonly as?: Who
  }
  readonly status: number
  readonly headers?: JsonObject
  readonly body?: Json
  readonly json?: boolean
  readonly stream?: boolean
  readonly managedFields?: boolean
  readonly pick?: ReadonlyArray<string | ReadonlyArray<string>>
  readonly save?: Readonly<Record<string, string | ReadonlyArray<string>>>
}

export type Step = CommandStep | HttpStep
export const isHttp = (step: Step): step is HttpStep => "http" in step

/** A preparation before the steps: an object, a command, or a pause. */
export type Preparation = JsonObject | ReadonlyArray<string>

/** A recorded session. */
export interface Case {
  readonly name: string
  readonly controllers?: boolean
  /** The first minor version of kubectl that has these commands. */
  readonly since?: number
  /** Objects outside the case's namespace, as kind/name or kind/namespace/name. */
  readonly cluster?: ReadonlyArray<string>
  readonly generated?: ReadonlyArray<string>
  readonly files?: Readonly<Record<string, string>>
  readonly setup?: ReadonlyArray<Preparation>
  readonly steps: ReadonlyArray<Step>
}

/** Whether a case can be run without kubectl. */
export const isHttpOnly = ({ setup = [], steps }: Case): boolean => steps.every(isHttp) && !setup.some(Array.isArray)

/** Reads the cases of a file, or of all JSON files in a folder, in the order of their names. */
export const readCases = (path: string): ReadonlyArray<Case> => {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => join(path, name))
    : [path]
  return files.flatMap((file) => {
    const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases?: ReadonlyArray<Case> }
    if (!Array.isArray(cases)) throw new Error(`${file}: found no cases, expected a list of that name`)
    return cases as ReadonlyArray<Case>
  })
}
