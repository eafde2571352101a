/** What kubectl v1.32 sends for its typed commands: protobuf, in base64. */
export const kubectlBodies: Readonly<Record<string, string>> = {
  "create ns foo": "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhsKEwoDZm9vEgAaACIAKgAyADgAQgASABoCCgAaACIA",
  "create sa x -n a": "azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSFAoSCgF4EgAaAWEiACoAMgA4AEIAGgAiAA==",
  "create deployment web --image=nginx --replicas=3 --port=80":
    "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErgBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEoYBCAMSDAoKCgNhcHASA3dlYhpsChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkwSLgoFbmdpbngSBW5naW54KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=",
  "create secret generic s --from-literal=p=q":
    "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAXASAXEaABoAIgA=",
  "auth can-i create pods":
    "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPwoQCgASABoAIgAqADIAOABCABIhCh8KB2RlZmF1bHQSBmNyZWF0ZRoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=",
  "create pdb p --selector=a=b --max-unavailable=50%":
    "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNgoRCgFwEgAaACIAKgAyADgAQgASFRIICgYKAWESAWIaCQgBEAAaAzUwJRoKCAAYACAAKAAwABoAIgA=",
  "create service clusterip s --tcp=80:8080":
    "azhzAAoNCgJ2MRIHU2VydmljZRJjChsKAXMSABoAIgAqADIAOABCAFoICgNhcHASAXMSQAobCgc4MC04MDgwEgNUQ1AYUCIHCAAQkD8aACgAEggKA2FwcBIBcxoAIglDbHVzdGVySVA6AEIAUgBaAGAAaAAaAgoAGgAiAA==",
  "create role r --verb=get --resource=pods":
    "azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlEiIKEQoBchIAGgAiACoAMgA4AEIAEg0KA2dldBIAGgRwb2RzGgAiAA=="
}
