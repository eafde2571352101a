import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Predicate from "effect/Predicate"

const containerLists: ReadonlySet<string> = new Set(["containers", "initContainers", "ephemeralContainers"])
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
const SHOWN_DIGITS = 12

/**
 * Takes out of objects what a rehearsal does not look at and what people put secrets into: the values of environment variables,
 * commands and arguments of containers, wherever a template has them. Equal texts stay equal, different ones different, so that
 * templates compare as they did; the salt keeps short texts from being found by trying. Field managers and kubectl's copy of what was
 * applied, which have all of it once more, go.
 */
export const withoutSecrets = (salt: Uint8Array): (<A>(object: A) => A) => {
  const known = new Map<string, string>()
  const hidden = (text: string): string => {
    const before = known.get(text)
    if (before !== undefined) return before
    const digest = `hidden-${bytesToHex(hmac(sha256, salt, utf8ToBytes(text))).slice(0, SHOWN_DIGITS)}`
    known.set(text, digest)
    return digest
  }
  const hiddenAll = (value: unknown): unknown => {
    if (typeof value === "string") return hidden(value)
    return Array.isArray(value) ? value.map(hiddenAll) : value
  }
  const variable = (value: unknown): unknown =>
    Predicate.isReadonlyObject(value) && typeof value.value === "string"
      ? { ...value, value: hidden(value.value) }
      : value
  const container = (value: unknown): unknown => {
    if (!Predicate.isReadonlyObject(value)) return value
    const { args, command, env } = value
    return {
      ...value,
      ...(args === undefined ? {} : { args: hiddenAll(args) }),
      ...(command === undefined ? {} : { command: hiddenAll(command) }),
      ...(Array.isArray(env) ? { env: env.map(variable) } : {})
    }
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!Predicate.isReadonlyObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== "managedFields" && key !== LAST_APPLIED)
        .map(([key, field]) => [
          key,
          containerLists.has(key) && Array.isArray(field) ? field.map((one) => walk(container(one))) : walk(field)
        ])
    )
  }
  return <A>(object: A) => walk(object) as A
}
