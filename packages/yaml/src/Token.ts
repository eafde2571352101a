export type TokenType =
  | "streamEnd"
  | "version"
  | "tagDirective"
  | "documentStart"
  | "documentEnd"
  | "listStart"
  | "mapStart"
  | "blockEnd"
  | "flowListStart"
  | "flowListEnd"
  | "flowMapStart"
  | "flowMapEnd"
  | "entry"
  | "flowEntry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar"

/** A token of YAML. */
export interface Token {
  readonly type: TokenType
  /** The line on which it begins, from zero. */
  readonly line: number
  /** The text of a scalar, the name of an anchor, the handle of a tag, or the version. */
  readonly value: string
  /** The rest of a tag, or the prefix that a directive gives a handle. */
  readonly suffix: string
  /** Whether a scalar has neither quotes nor an indicator. */
  readonly isPlain: boolean
}

export const token = (type: TokenType, line: number, value = "", suffix = "", isPlain = false): Token => ({
  type,
  line,
  value,
  suffix,
  isPlain
})
