import { annotationDefaultClass, type StorageClass } from "@rollcall/api"
import { modelledDriver } from "./layerDriver.ts"

/** The default StorageClass of a new cluster: zonal disks with WaitForFirstConsumer. */
export const standardClass: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { [annotationDefaultClass]: "true" } },
  provisioner: modelledDriver,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer"
}
