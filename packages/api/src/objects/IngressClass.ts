import * as Schema from "effect/Schema"
import { oneOf, opt } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"

export const IngressClassSpec = Schema.Struct({
  controller: opt(Schema.String),
  parameters: opt(
    Schema.Struct({
      apiGroup: opt(Schema.String),
      kind: Schema.String,
      name: Schema.String,
      scope: opt(oneOf("Cluster", "Namespace")),
      namespace: opt(Schema.String)
    })
  )
})
export interface IngressClassSpec extends Schema.Schema.Type<typeof IngressClassSpec> {}

/** A controller of Ingresses, with its parameters. Cluster-scoped. */
export const IngressClass = Schema.Struct({
  ...typed("networking.k8s.io/v1", "IngressClass"),
  spec: opt(IngressClassSpec)
})
export interface IngressClass extends Schema.Schema.Type<typeof IngressClass> {}
