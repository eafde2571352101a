/** A JSON value as a vector file holds it: what an adapter is handed, and what it must answer. */
// biome-ignore lint/suspicious/noExplicitAny: vectors are JSON of many shapes; each adapter knows its own
export type Json = any

export interface VectorCase {
  readonly name: string
  readonly given: Json
  readonly when?: Json
  readonly then: Json
}

export interface VectorFile {
  /** `area/topic` */
  readonly subject: string
  readonly about: string
  /** Machines that cases name, where the area has some. */
  readonly topologies?: Json
  readonly cases: ReadonlyArray<VectorCase>
}

/**
 * Translates a case for the implementation under test; answers in exactly the shape of the case's `then`. The file is for what its cases
 * have in common.
 */
export type Adapter = (vectorCase: Pick<VectorCase, "given" | "when">, file: VectorFile) => Json

/** Adapters by subject. */
export type Adapters = Readonly<Record<string, Adapter>>
