/** A JSON value in a vector file: the input and the expected output of an adapter. */
// biome-ignore lint/suspicious/noExplicitAny: vectors are JSON of many shapes; each adapter knows its own
export type Json = any

/** One input, and the output of upstream Kubernetes for it. */
export interface VectorCase {
  /** What the case is about → its result. */
  readonly name: string
  readonly given: Json
  /** The steps that follow, if the subject has steps. */
  readonly when?: Json
  readonly then: Json
}

/** The cases of one subject. */
export interface VectorFile {
  /** `area/topic` */
  readonly subject: string
  /** What the cases run, in a sentence or two. */
  readonly about: string
  /** The meaning of each field of the cases, by its path: `given.pod`. */
  readonly legend?: Readonly<Record<string, string>>
  /** The objects that exist in every case, if the subject has any. */
  readonly cluster?: Json
  /** The machines that cases refer to by name, if the subject has any. */
  readonly topologies?: Json
  readonly cases: ReadonlyArray<VectorCase>
}

/**
 * Runs a case on the implementation under test, and returns its output in the shape of the case's `then`. `file` has the data that all
 * cases share.
 */
export type Adapter = (vectorCase: Pick<VectorCase, "given" | "when">, file: VectorFile) => Json

/** Adapters by subject. */
export type Adapters = Readonly<Record<string, Adapter>>
