import { readFileSync } from "node:fs"
import type { EventRecord } from "@rollcall/simulator"

/** One entry of a trace; the other fields depend on its type. */
export interface Entry {
  readonly at: number
  readonly type: string
  readonly node?: string
  readonly pod?: string
  readonly namespace?: string
  readonly zone?: string
  readonly nodes?: ReadonlyArray<string>
  readonly [field: string]: unknown
}

export interface MetricsEntry {
  readonly at: number
  readonly zones?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Counters by name and labels; a rehearsal has none. */
  readonly counters?: Readonly<Record<string, number>>
}

/** The output of a run, recorded or rehearsed. */
export interface Run {
  readonly trace: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<EventRecord>
  readonly metrics: ReadonlyArray<MetricsEntry>
}

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
  readonly flags: Readonly<Record<string, ReadonlyArray<string>>>
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

const read = (file: string, what: string, fields: ReadonlyArray<string>): unknown => {
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

export const readRecording = (file: string): Recording =>
  read(file, "a recording", ["name", "scenario", "flags", "trace", "events", "metrics"]) as Recording

/** A ScenarioResult (`rollcall simulate -o json`), or another recording. */
export const readRun = (file: string): Run => read(file, "a result", ["trace", "events", "metrics"]) as Run
