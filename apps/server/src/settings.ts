import { upProgram } from "@rollcall/components/live"
import {
  type FlagProblem,
  type Flags,
  type FlagValues,
  formatFlagProblem,
  type Parsed,
  readFlags
} from "@rollcall/flags"
import { InvalidInput, invalid, unknownName, wrongValue } from "@rollcall/input"
import { readDocuments, withLines } from "@rollcall/input/documents"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

const PREFIX = "ROLLCALLD"

/** Flags of `rollcall up` for interactive use, which a daemon does not have. */
const interactiveFlags = ["merge-kubeconfig", "exit-when-ready", "demo", "logging-format"]

const camel = (flag: string): string => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
const upper = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The flag of `rollcall up` for each setting key. */
const flagByKey: ReadonlyMap<string, string> = new Map(
  Object.keys(upProgram.flags)
    .filter((flag) => !interactiveFlags.includes(flag))
    .map((flag) => [flag === "config" ? "scenario" : camel(flag), flag])
)

const METRICS = "metricsAddress"

/** The keys of all settings in a file. */
export const settingKeys: ReadonlyArray<string> = [METRICS, ...flagByKey.keys()]

/** Returns the environment variable of a setting. */
export const variableOf = (key: string): string => `${PREFIX}_${upper(key)}`

/** Returns the description of a setting, from its flag. */
export const settingOf = (key: string, flags: Flags): string => {
  if (key === METRICS) return "HOST:PORT of /livez, /readyz and /metrics over plain HTTP; empty: nowhere"
  return flags[flagByKey.get(key) ?? ""]?.help ?? ""
}

const textOf = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.every((part) => typeof part === "string") ? value.join(",") : undefined
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined
}

/** Reads the settings of a YAML file as texts. */
const readFile = Effect.fnUntraced(function* (file: string) {
  const [document] = yield* readDocuments(file)
  const value = document?.value ?? {}
  if (!Predicate.isReadonlyObject(value)) return yield* invalid(file, "", wrongValue(value, "settings by name"))
  const texts: Record<string, string> = {}
  for (const [key, given] of Object.entries(value)) {
    if (!settingKeys.includes(key)) return yield* invalid(file, key, unknownName("is not a setting", key, settingKeys))
    const text = textOf(given)
    if (text === undefined) return yield* invalid(file, key, wrongValue(given, "a text, a number or a list"))
    texts[key] = text
  }
  return texts
})

const checkEnvironment = (environment: Readonly<Record<string, string | undefined>>) => {
  const known = settingKeys.map(variableOf)
  const odd = Object.keys(environment).find((name) => name.startsWith(`${PREFIX}_`) && !known.includes(name))
  return odd === undefined
    ? Effect.void
    : Effect.fail(invalid("environment", odd, unknownName("is not a setting", odd, known)))
}

const settingsConfig = Config.all(
  Object.fromEntries(settingKeys.map((key) => [key, Config.option(Config.String(key))]))
)

/** The address that serves health and metrics over plain HTTP. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const ADDRESS = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/

const metricsAddress = (text: string, source: string) => {
  if (text === "") return Effect.undefined
  const [, six, four, port = "65536"] = ADDRESS.exec(text) ?? []
  return Number(port) > 65_535
    ? Effect.fail(invalid(source, METRICS, wrongValue(text, "HOST:PORT such as 127.0.0.1:9090, or nothing")))
    : Effect.succeed<MetricsAddress>({ host: six ?? (four || "127.0.0.1"), port: Number(port) })
}

/** The settings of a daemon. */
export interface DaemonSettings {
  /** The settings as parsed flags of `rollcall up`. */
  readonly parsed: Parsed<FlagValues<typeof upProgram.flags>>
  /** Undefined: only the API server serves health and metrics. */
  readonly metrics: MetricsAddress | undefined
  /** Replaces the flag by its setting in an error. */
  readonly blamed: (error: InvalidInput) => InvalidInput
}

/** Reads the settings of a daemon: from the environment first, else from its file. Errors name the source. */
export const readSettings = Effect.fnUntraced(function* (
  file: string,
  environment: Readonly<Record<string, string | undefined>>
) {
  yield* checkEnvironment(environment)
  const ofFile = file === "" ? {} : yield* readFile(file)
  const ofEnvironment = ConfigProvider.fromEnvRecord(environment).pipe(
    ConfigProvider.nested(PREFIX),
    ConfigProvider.constantCase
  )
  const provider = ConfigProvider.orElse(ofEnvironment, ConfigProvider.fromUnknown(ofFile))
  const found = yield* settingsConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    Effect.mapError(({ message }) => invalid(file || "environment", "", message))
  )
  const sourceOf = (key: string) => (environment[variableOf(key)] === undefined ? file : "environment")
  const nameOf = (key: string) => (sourceOf(key) === "environment" ? variableOf(key) : key)
  const given = Object.entries(found).flatMap(([key, text]) =>
    Option.isSome(text) ? [[key, text.value] as const] : []
  )
  const metrics = yield* metricsAddress(Object.fromEntries(given)[METRICS] ?? "", sourceOf(METRICS))
  const args = given.flatMap(([key, text]) => {
    const flag = flagByKey.get(key)
    return flag === undefined ? [] : [`--${flag}=${text}`]
  })
  const keyOf = (name: string) => [...flagByKey].find(([, flag]) => name === flag)?.[0] ?? name
  /** Returns the error of a setting whose value its flag refuses. */
  const refused = (problem: FlagProblem) => {
    const { expected, flag: name = "", found: text, reason } = problem
    const wrong = expected === undefined ? (reason ?? formatFlagProblem(problem)) : wrongValue(text, expected)
    return invalid(sourceOf(keyOf(name)), nameOf(keyOf(name)), wrong)
  }
  /** Replaces the flag by its setting in an error. */
  const blamed = (error: InvalidInput) =>
    new InvalidInput({
      problems: error.problems.map((problem) => {
        const key = keyOf(problem.path.replace(/^--/, ""))
        return !flagByKey.has(key) || problem.file !== "command line"
          ? problem
          : { ...problem, file: sourceOf(key) || "settings", path: nameOf(key) }
      })
    })
  const parsed = yield* Effect.mapError(Effect.fromResult(readFlags(upProgram, args)), refused)
  const settings: DaemonSettings = { parsed, metrics, blamed }
  return settings
}, withLines)
