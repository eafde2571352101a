import type { FlagTypeName } from "./flagTypes.ts"

/** One flag of kubelet. */
export interface KubeletFlag {
  readonly name: string
  readonly type: FlagTypeName
  /**
   * The path of the configuration field that the flag sets: `memorySwap.swapBehavior`. Absent if no field corresponds
   * to the flag.
   */
  readonly field?: string
  /** Whether the flag has an effect here. If not, its value is checked, and a warning names the flag. */
  readonly honoured: boolean
  readonly help: string
  /** The default in release 1.36, as text for help. */
  readonly initial?: string
}

type FlagRow = readonly [name: string, type: FlagTypeName, field: string, help?: string, initial?: string]

/** Makes flags of the rows of a table. */
export const flagsOf = (honoured: boolean, list: ReadonlyArray<FlagRow>): ReadonlyArray<KubeletFlag> =>
  list.map(([name, type, field, help = "as upstream", initial]) => ({
    name,
    type,
    honoured,
    help,
    ...(field === "" ? {} : { field }),
    ...(initial === undefined ? {} : { initial })
  }))
