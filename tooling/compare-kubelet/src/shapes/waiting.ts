import type { KubeObject } from "@rollcall/api"
import type { Shape } from "../Life.ts"
import { container, createObject, createPod, createRuntimeClass, deletePod, shape } from "./shape.ts"

const object = (kind: "ConfigMap" | "Secret", name: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "default" },
    ...(kind === "ConfigMap" ? { data: { key: "value" } } : { stringData: { key: "value" } })
  }) as KubeObject

const mounts = [{ name: "v", mountPath: "/v" }]
const files = [{ name: "files", mountPath: "/files" }]

/** Pods that wait for what they refer to, and pods that are refused. */
export const waitingShapes: ReadonlyArray<Shape> = [
  shape(
    "config-map-missing",
    60,
    createPod({ containers: [container({ envFrom: [{ configMapRef: { name: "config-map-missing" } }] })] }),
    createObject(20, object("ConfigMap", "config-map-missing")),
    deletePod(50)
  ),
  shape(
    "secret-key-missing",
    26,
    createPod({
      containers: [
        container({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "secret-key-missing", key: "a" } } }] })
      ]
    }),
    deletePod(20)
  ),
  shape(
    "secret-volume-missing",
    40,
    createPod({
      volumes: [{ name: "v", secret: { secretName: "secret-volume-missing" } }],
      containers: [container({ volumeMounts: mounts })]
    }),
    createObject(10, object("Secret", "secret-volume-missing")),
    deletePod(32)
  ),
  shape(
    "claim-missing",
    24,
    createPod({
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim-missing" } }],
      containers: [container({ volumeMounts: mounts })]
    }),
    deletePod(18)
  ),
  shape(
    "handler-missing",
    40,
    createRuntimeClass("absent"),
    createPod({ runtimeClassName: "handler-missing" }),
    deletePod(32)
  ),
  shape("handler", 14, createRuntimeClass("runc"), createPod({ runtimeClassName: "handler" }), deletePod(7)),
  shape(
    "image-volume",
    16,
    createPod({
      volumes: [{ name: "files", image: { reference: "files:1" } }],
      containers: [container({ volumeMounts: files }), container({ name: "side", volumeMounts: files })]
    }),
    deletePod(8)
  ),
  shape(
    "image-volume-missing",
    30,
    createPod({
      volumes: [{ name: "files", image: { reference: "absent-files:1" } }],
      containers: [container({ volumeMounts: files }), container({ name: "side" })],
      behaviour: { files: { imagePull: "fail" } }
    }),
    deletePod(24)
  ),
  shape(
    "image-volume-pulled-slowly",
    18,
    createPod({
      volumes: [{ name: "files", image: { reference: "absent-slow-files:1" } }],
      containers: [container({ volumeMounts: files })],
      behaviour: { files: { imagePullSeconds: 5 } }
    }),
    deletePod(12)
  ),
  shape(
    "image-missing",
    26,
    createPod({ containers: [container({ image: "absent-app:1" })], behaviour: { app: { imagePull: "fail" } } }),
    deletePod(21)
  ),
  shape(
    "image-missing-once",
    50,
    createPod({
      containers: [container({ image: "absent-once-app:1" })],
      behaviour: { app: { imagePullFailTimes: 1 } }
    }),
    deletePod(40)
  ),
  shape(
    "image-never-pulled",
    30,
    createPod({
      containers: [container({ image: "absent-never-app:1", imagePullPolicy: "Never" })],
      behaviour: { app: { imagePull: "fail" } }
    }),
    deletePod(20)
  ),
  shape("image-name-invalid", 30, createPod({ containers: [container({ image: "INVALID//app" })] }), deletePod(20)),
  shape(
    "image-pulled-slowly",
    24,
    createPod({ containers: [container({ image: "absent-slow-app:1" })], behaviour: { app: { imagePullSeconds: 6 } } }),
    deletePod(16)
  ),
  shape(
    "deleted-while-pulling",
    24,
    createPod({
      containers: [container({ image: "absent-deleted-app:1" })],
      behaviour: { app: { imagePullSeconds: 6 } }
    }),
    deletePod(4)
  ),
  shape(
    "config-map-optional",
    14,
    createPod({
      volumes: [{ name: "v", configMap: { name: "config-map-optional", optional: true } }],
      containers: [container({ volumeMounts: mounts })]
    }),
    deletePod(6)
  ),
  shape(
    "too-large",
    10,
    createPod({ containers: [container({ resources: { requests: { cpu: "100" } } })] }),
    deletePod(6)
  ),
  shape("other-node-selected", 10, createPod({ nodeSelector: { disk: "ssd" } }), deletePod(6)),
  shape(
    "sysctl-forbidden",
    10,
    createPod({ securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }),
    deletePod(6)
  ),
  shape(
    "never-pulled-init",
    30,
    createPod({
      initContainers: [container({ name: "first", image: "absent-init-first:1", imagePullPolicy: "Never" })],
      behaviour: { first: { imagePull: "fail" } }
    }),
    deletePod(20)
  )
]
