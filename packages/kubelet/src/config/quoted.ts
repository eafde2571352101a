/** Go's `%q` of what configurations hold. */
export const quoted = (text: string): string => JSON.stringify(text)
