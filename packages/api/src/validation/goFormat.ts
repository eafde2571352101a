import { escapeHtml } from "../json.ts"
import { sortedEntries } from "../sortedEntries.ts"
import { withoutLoneSurrogates } from "../wire/decode/jsonText.ts"
import { goQuote } from "./goQuote.ts"

export { goQuote } from "./goQuote.ts"

/** Formats a value as Go's encoding/json, which escapes characters that could end a script in HTML. */
export const goJson = (value: unknown): string => escapeHtml(withoutLoneSurrogates(JSON.stringify(value)))

/** Returns a map with sorted keys, as Go's encoding/json writes it; null if there is none. */
export const sortedMap = <A>(map: Readonly<Record<string, A>> | undefined): Readonly<Record<string, A>> | null =>
  map === undefined ? null : Object.fromEntries(sortedEntries(map))

/** Formats a list of strings as Go's `%#v`: `[]string{"a", "b"}`. */
export const goStrings = (texts: ReadonlyArray<string>): string => `[]string{${texts.map(goQuote).join(", ")}}`
