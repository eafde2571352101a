/** A JSON value in a vector file: the input and the expected output of an adapter. */
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
  /** The machines that cases name, if the area has any. */
  readonly topologies?: Json
  readonly cases: ReadonlyArray<VectorCase>
}

/**
 * Runs a case on the implementation under test; returns exactly the shape of the case's `then`. The file has the data that its cases
 * share.
 */
export type Adapter = (vectorCase: Pick<VectorCase, "given" | "when">, file: VectorFile) => Json

/** Adapters by subject. */
export type Adapters = Readonly<Record<string, Adapter>>
