import { createPrivateKey, X509Certificate } from "node:crypto"
import { readText } from "@rollcall/files"
import { type FlagValues, flag } from "@rollcall/flags"
import { invalid } from "@rollcall/input"
import { type KeyAndCertificate, pemBlocks } from "@rollcall/pki"
import type { CertificateKeys } from "@rollcall/workloads"
import * as Effect from "effect/Effect"
import { authorityOfPair } from "./certificateKeys.ts"

const YEAR_MS = 8760 * 3_600_000
const MAX_FILE_BYTES = 1 << 20

/** The middle of a signer's flags, by its name. Upstream: cmd/kube-controller-manager/app/options/csrsigningcontroller.go. */
const flagParts = {
  "kubernetes.io/kubelet-serving": "kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet": "kubelet-client",
  "kubernetes.io/kube-apiserver-client": "kube-apiserver-client",
  "kubernetes.io/legacy-unknown": "legacy-unknown"
} as const

type FlagPart = (typeof flagParts)[keyof typeof flagParts]

const pairFlags = <P extends string>(part: P, what: string) =>
  ({
    [`cluster-signing${part}-cert-file`]: flag.text("", `the PEM file of the CA that signs ${what}`),
    [`cluster-signing${part}-key-file`]: flag.text("", `the PEM file of the key of --cluster-signing${part}-cert-file`)
  }) as Readonly<Record<`cluster-signing${P}-cert-file` | `cluster-signing${P}-key-file`, ReturnType<typeof flag.text>>>

export const signingFlags = {
  ...pairFlags("", "certificates for all signers of Kubernetes"),
  ...pairFlags("-kubelet-serving", "serving certificates of kubelets, and no others unless they have a flag too"),
  ...pairFlags("-kubelet-client", "client certificates of kubelets"),
  ...pairFlags("-kube-apiserver-client", "client certificates of other users"),
  ...pairFlags("-legacy-unknown", "certificates of kubernetes.io/legacy-unknown"),
  "cluster-signing-duration": flag.duration(YEAR_MS, "the longest validity of signed certificates")
} as const

type SigningValues = FlagValues<typeof signingFlags>

interface PairFiles {
  readonly certificate: string
  readonly key: string
}

const filesOf = (values: SigningValues, part: FlagPart | undefined): PairFiles => {
  const prefix = part === undefined ? ("cluster-signing" as const) : (`cluster-signing-${part}` as const)
  return { certificate: values[`${prefix}-cert-file`], key: values[`${prefix}-key-file`] }
}

const isSet = ({ certificate, key }: PairFiles): boolean => certificate !== "" || key !== ""

const readPair = ({ certificate, key }: PairFiles): Effect.Effect<KeyAndCertificate, string, never> =>
  Effect.gen(function* () {
    const read = (file: string, what: string) =>
      Effect.mapError(
        readText(file, MAX_FILE_BYTES),
        ({ message }) => `error reading CA ${what} file ${JSON.stringify(file)}: ${message}`
      )
    const pair = { certificatePem: yield* read(certificate, "cert"), keyPem: yield* read(key, "key") }
    const fault = (message: string) => `error reading CA cert file ${JSON.stringify(certificate)}: ${message}`
    const count = pemBlocks(pair.certificatePem).length
    if (count !== 1) return yield* Effect.fail(fault(`expected 1 certificate, found ${count}`))
    yield* Effect.try({
      try: () => [new X509Certificate(pair.certificatePem), createPrivateKey(pair.keyPem)],
      catch: (error) => fault(String(error))
    })
    return pair
  })

/**
 * Returns the authorities of the signers whose files the flags name. The files are read again for each request, so that a
 * renewed authority signs at once. Fails if both the common files and those of a signer are named, or if a file cannot be
 * read.
 */
export const signingFiles = Effect.fnUntraced(function* (values: SigningValues) {
  const common = filesOf(values, undefined)
  const specific = Object.entries(flagParts).map(([signer, part]) => ({ signer, files: filesOf(values, part) }))
  const anySpecific = specific.some(({ files }) => isSet(files))
  if (anySpecific && common.certificate !== "" && common.key !== "") {
    const message = "cannot specify default and per controller certs at the same time"
    return yield* invalid("command line", "--cluster-signing-cert-file", message)
  }
  const named = anySpecific
    ? specific.filter(({ files }) => isSet(files))
    : specific.flatMap(({ signer }) =>
        common.certificate === "" || common.key === "" ? [] : [{ signer, files: common }]
      )
  for (const { files, signer } of named) {
    yield* Effect.mapError(readPair(files), (message) =>
      invalid(
        "command line",
        "--cluster-signing-cert-file",
        `failed to init ${signer} certificate controller: ${message}`
      )
    )
  }
  const bySigner = new Map(named.map(({ files, signer }) => [signer, Effect.map(readPair(files), authorityOfPair)]))
  return {
    authorityOf: (signerName) => bySigner.get(signerName),
    signingDurationMs: values["cluster-signing-duration"]
  } satisfies Pick<CertificateKeys, "authorityOf" | "signingDurationMs">
})
