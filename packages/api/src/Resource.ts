/** The names of a kind in paths and on the command line. */
export interface Resource<Kind extends string = string> {
  readonly kind: Kind
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly namespaced: boolean
  /** Categories, which select several kinds on the command line: `all`. */
  readonly categories?: ReadonlyArray<string>
}
