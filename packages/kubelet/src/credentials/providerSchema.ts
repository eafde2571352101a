import type * as Schema from "effect/Schema"
import { boolean, duration, list, object, text, type WithoutNulls } from "../config/fieldTypes.ts"

const texts = list(text)

/** The schema of one plugin. Upstream: staging/src/k8s.io/kubelet/config/v1/types.go, CredentialProvider. */
const Provider = object({
  name: text,
  matchImages: texts,
  defaultCacheDuration: duration,
  apiVersion: text,
  args: texts,
  env: list(object({ name: text, value: text })),
  tokenAttributes: object({
    serviceAccountTokenAudience: text,
    cacheType: text,
    requireServiceAccount: boolean,
    requiredServiceAccountAnnotationKeys: texts,
    optionalServiceAccountAnnotationKeys: texts
  })
})

/** The schema of a CredentialProviderConfig. */
export const CredentialProviderConfig = object({ apiVersion: text, kind: text, providers: list(Provider) })

/** A plugin as a file has it. */
export type GivenProvider = WithoutNulls<Schema.Schema.Type<typeof Provider>>
