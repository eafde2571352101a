/**
 * A string field with known values. Any string decodes, because the API checks values after decoding (422, not 400),
 * and because an object may come from a newer release; the type suggests the known values.
 */
export type OneOf<Known extends string> = Known | (string & Record<never, never>)
