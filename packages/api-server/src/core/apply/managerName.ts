/** Upstream: apimachinery/pkg/apis/meta/v1/validation, FieldManagerMaxLength. In bytes. */
const MAX_BYTES = 128

const bytesOf = (char: string): number => {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

/**
 * What a writer is called in managedFields: what it says itself, else the start of its user agent.
 * Upstream: apiserver/pkg/endpoints/handlers/create.go, managerOrUserAgent.
 */
export const managerName = (fieldManager: string | undefined, userAgent: string): string => {
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager
  const end = userAgent.indexOf("/")
  const agent = end < 0 ? userAgent : userAgent.slice(0, end)
  if (agent.length <= MAX_BYTES / 4 && /^[\x20-\x7e]*$/.test(agent)) return agent === "" ? "unknown" : agent
  let name = ""
  let size = 0
  for (const char of agent) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue
    size += bytesOf(char)
    if (size > MAX_BYTES) break
    name += char
  }
  return name === "" ? "unknown" : name
}
