import { annotationDefaultClass, type StorageClass } from "@rollcall/api"
import { modelledDriver } from "./layerDriver.ts"

/** The class that claims get which say none, where a cluster is made from nothing: zonal disks, made where their pod goes. */
export const standardClass: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { [annotationDefaultClass]: "true" } },
  provisioner: modelledDriver,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer"
}
