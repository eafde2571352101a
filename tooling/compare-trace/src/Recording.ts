import { readFileSync } from "node:fs"
import type { EventRecord } from "@rollcall/simulator"

/** One entry of a trace. The other fields depend on its type. */
export interface Entry {
  /** Seconds since the start of the run. */
  readonly at: number
  readonly type: string
  readonly node?: string
  readonly pod?: string
  readonly namespace?: string
  readonly zone?: string
  readonly nodes?: ReadonlyArray<string>
  readonly [field: string]: unknown
}

/** The metrics at one time of a run. */
export interface MetricsEntry {
  readonly at: number
  readonly zones?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Counters by name and labels; absent in a rehearsal. */
  readonly counters?: Readonly<Record<string, number>>
}

/** The output of a run, recorded or rehearsed. */
export interface Run {
  readonly trace: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<EventRecord>
  readonly metrics: ReadonlyArray<MetricsEntry>
}

/** An entry (`Type zone`) whose number differs between the two recorded runs. */
interface CountThatDiffers {
  readonly entry: string
  readonly run1: number
  readonly run2: number
}

/** A recording of the genuine controllers: a run, its scenario, and the differences of a second run. */
export interface Recording extends Run {
  readonly name: string
  readonly scenario: {
    readonly spec: {
      readonly cluster: {
        readonly nodes?: ReadonlyArray<{ readonly name: string; readonly count?: number; readonly zone?: string }>
        readonly objects?: ReadonlyArray<KubernetesObject>
      }
      readonly events?: ReadonlyArray<{ readonly objects?: ReadonlyArray<KubernetesObject> }>
    }
  }
  /** The flags of the components, by their names. */
  readonly flags: Readonly<Record<string, ReadonlyArray<string>>>
  /** The differences between the two recorded runs: of times by entry, and of numbers of entries and Events. */
  readonly spread?: {
    readonly maxDifference?: Readonly<Record<string, number>>
    readonly countsThatDiffer?: ReadonlyArray<CountThatDiffers>
    readonly eventsRun1?: Readonly<Record<string, number>>
    readonly eventsRun2?: Readonly<Record<string, number>>
  }
}

export interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Reads a JSON file. Throws an error that names the file if a field is missing. */
const readJson = (file: string, what: string, fields: ReadonlyArray<string>): unknown => {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const missing = fields.filter((field) => typeof value !== "object" || value === null || !(field in value))
  if (missing.length > 0) throw new Error(`${file}: not ${what}: no ${missing.join(", no ")}`)
  return value
}

/** Reads a recording. Throws if the file is not one. */
export const readRecording = (file: string): Recording =>
  readJson(file, "a recording", ["name", "scenario", "flags", "trace", "events", "metrics"]) as Recording

/** Reads a run: a ScenarioResult (`rollcall simulate -o json`), or another recording. Throws if the file is not one. */
export const readRun = (file: string): Run => readJson(file, "a result", ["trace", "events", "metrics"]) as Run
