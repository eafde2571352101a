import * as Schema from "effect/Schema"
import { list, Opaque, opt } from "../internal/fields.ts"
import { Quantity } from "./Scalars.ts"

const KeyToPath = Schema.Struct({ key: Schema.String, path: Schema.String, mode: opt(Schema.Int) })

/** Sources that rules read are modelled; the others are passed through. */
export const Volume = Schema.Struct({
  name: Schema.String,
  hostPath: opt(Schema.Struct({ path: Schema.String, type: opt(Schema.String) })),
  emptyDir: opt(Schema.Struct({ medium: opt(Schema.String), sizeLimit: opt(Quantity) })),
  secret: opt(
    Schema.Struct({
      secretName: opt(Schema.String),
      items: opt(list(KeyToPath)),
      defaultMode: opt(Schema.Int),
      optional: opt(Schema.Boolean)
    })
  ),
  configMap: opt(
    Schema.Struct({
      name: opt(Schema.String),
      items: opt(list(KeyToPath)),
      defaultMode: opt(Schema.Int),
      optional: opt(Schema.Boolean)
    })
  ),
  persistentVolumeClaim: opt(Schema.Struct({ claimName: Schema.String, readOnly: opt(Schema.Boolean) })),
  projected: opt(Schema.Struct({ sources: opt(list(Opaque)), defaultMode: opt(Schema.Int) })),
  downwardAPI: opt(Schema.Struct({ items: opt(list(Opaque)), defaultMode: opt(Schema.Int) })),
  csi: opt(
    Schema.Struct({
      driver: Schema.String,
      readOnly: opt(Schema.Boolean),
      fsType: opt(Schema.String),
      volumeAttributes: opt(Schema.Record(Schema.String, Schema.String)),
      nodePublishSecretRef: opt(Schema.Struct({ name: opt(Schema.String) }))
    })
  ),
  ephemeral: opt(Opaque),
  nfs: opt(Opaque),
  iscsi: opt(Opaque),
  image: opt(Opaque)
})
export interface Volume extends Schema.Schema.Type<typeof Volume> {}
