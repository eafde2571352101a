import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** A JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** A number that is kept as text (JSON.rawJSON) is a frozen object, and counts as a number. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Object.isFrozen(value)

/** The user of a request: a context of the case's kubeconfig. */
export type Who = "admin" | "worker-1" | "alice" | "anonymous" | "bad-token"

/** The comparison options of both kinds of steps. Patterns are regular expressions (`patternOf`). */
interface Comparison {
  /** Replacements before the comparison, of texts that differ between runs. */
  readonly mask?: ReadonlyArray<readonly [pattern: string, replacement: string]>
  /** Compares only the lines that match. */
  readonly only?: string
  /** Repeats the step until the response matches. */
  readonly until?: string
}

/** A command with its recorded output. A stream or an exit code that is absent is not compared. */
export interface CommandStep extends Comparison {
  readonly argv: ReadonlyArray<string>
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** The exit code; null if the command was stopped. */
  readonly exit: number | null
  /** Patterns that the output on both streams together must match, for checks that every version of kubectl passes. */
  readonly like?: ReadonlyArray<string>
  readonly stdout?: string
  readonly stderr?: string
  /** Stops a command that does not end by itself: this many seconds after it has printed something and the `during` commands have run. */
  readonly stop_after?: number
  /** Does not wait for output before the `during` commands. */
  readonly silent_start?: boolean
  /** Commands that run one after another while this one runs. */
  readonly during?: ReadonlyArray<ReadonlyArray<string>>
  /** Ignores the order of the lines. */
  readonly sorted?: boolean
  /** Ignores the width of gaps between columns. */
  readonly loose?: boolean
  /** Ignores the words of API documentation. */
  readonly docs?: boolean
  /** The timeout in seconds; default 90. */
  readonly timeout?: number
}

/** An HTTP request with its recorded response. A header or a body that is absent is not compared. */
export interface HttpStep extends Comparison {
  readonly http: {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
    /** A body of one text many times, for large requests. */
    readonly bodyRepeat?: { readonly text: string; readonly times: number }
    readonly as?: Who
  }
  readonly status: number
  readonly headers?: JsonObject
  readonly body?: Json
  /** Parses the body as JSON even if its content type is another. */
  readonly json?: boolean
  /** The body is a sequence of JSON documents, such as watch events. */
  readonly stream?: boolean
  /** Compares managedFields too. */
  readonly managedFields?: boolean
  /** Compares only the values at these paths. */
  readonly pick?: ReadonlyArray<string | ReadonlyArray<string>>
  /** Variables for later steps, with the path of their value in the body. */
  readonly save?: Readonly<Record<string, string | ReadonlyArray<string>>>
}

export type Step = CommandStep | HttpStep
export const isHttp = (step: Step): step is HttpStep => "http" in step

/** A preparation before the steps: an object, a command, or a pause. */
export type Preparation = JsonObject | ReadonlyArray<string>

/** A recorded session. */
export interface Case {
  readonly name: string
  /** Whether the case needs controllers beside the server. */
  readonly controllers?: boolean
  /** The first minor version of kubectl that has these commands. */
  readonly since?: number
  /** Objects outside the case's namespace, as kind/name or kind/namespace/name. They are deleted before and after the case. */
  readonly cluster?: ReadonlyArray<string>
  /** Prefixes of names that the server generates. */
  readonly generated?: ReadonlyArray<string>
  /** Files in the folder of the commands, by name. */
  readonly files?: Readonly<Record<string, string>>
  readonly setup?: ReadonlyArray<Preparation>
  readonly steps: ReadonlyArray<Step>
}

/** Returns whether a case can be run without kubectl. */
export const isHttpOnly = ({ setup = [], steps }: Case): boolean => steps.every(isHttp) && !setup.some(Array.isArray)

/** The parts of JSON that TypeScript's library does not know yet. */
const { parse, rawJSON } = JSON as unknown as {
  readonly parse: (text: string, revive: (key: string, value: unknown, context: Source) => unknown) => unknown
  readonly rawJSON: (text: string) => unknown
}

interface Source {
  readonly source?: string
}

/** Parses JSON, and keeps the text of numbers that JavaScript writes otherwise (1.0, 1e+20): a server tells them apart. */
export const parseAsWritten = (text: string): unknown =>
  parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && source !== String(value) ? rawJSON(source) : value
  )

/** Reads the cases of a file, or of all JSON files in a folder, in the order of their names. */
export const readCases = (path: string): ReadonlyArray<Case> => {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => join(path, name))
    : [path]
  return files.flatMap((file) => {
    const { cases } = parseAsWritten(readFileSync(file, "utf8")) as { readonly cases?: ReadonlyArray<Case> }
    if (!Array.isArray(cases)) throw new Error(`${file}: found no cases, expected a list of that name`)
    return cases as ReadonlyArray<Case>
  })
}
