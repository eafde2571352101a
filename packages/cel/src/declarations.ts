import type { CelType } from "./types.ts"

/** Returns the type of a message that expressions may make; undefined if there is none of this name. */
export type MessageTypeOf = (name: string) => CelType | undefined

/** What expressions may refer to. */
export interface Declarations {
  readonly variables: Readonly<Record<string, CelType>>
  /** The messages of mutations, which have the functions of JSON patches too. */
  readonly messageTypeOf?: MessageTypeOf | undefined
}
