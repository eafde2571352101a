import * as Base64 from "effect/encoding/Base64"
import type { Namespace, Secret } from "../objects/Core.ts"
import type { PriorityClass } from "../objects/Scheduling.ts"
import { labelNamespaceName } from "../wellKnown.ts"
import { withDefaults, withFields, withPointerDefaults } from "./fill.ts"

/** An existing namespace is active until it is deleted, and has its name as a label for selectors. */
export const defaultNamespace = (namespace: Namespace): Namespace => {
  const { metadata, status } = namespace
  const name = metadata?.name
  return withFields(namespace, {
    status: withDefaults(status ?? {}, { phase: "Active" }),
    metadata:
      name === undefined || metadata.labels?.[labelNamespaceName] === name
        ? undefined
        : { ...metadata, labels: { ...metadata.labels, [labelNamespaceName]: name } }
  })
}

export const defaultPriorityClass = (priorityClass: PriorityClass): PriorityClass =>
  withPointerDefaults(priorityClass, { preemptionPolicy: "PreemptLowerPriority" })

/** Encodes `stringData` into `data`, where it takes precedence. */
const withEncodedStrings = (secret: Secret): Secret => {
  const { stringData, ...rest } = secret
  if (stringData === undefined) return secret
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Base64.encode(text)] as const)
  return encoded.length === 0 ? rest : { ...rest, data: { ...rest.data, ...Object.fromEntries(encoded) } }
}

export const defaultSecret = (secret: Secret): Secret => withDefaults(withEncodedStrings(secret), { type: "Opaque" })
