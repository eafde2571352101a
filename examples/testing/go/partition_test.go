// A cluster for a test in Go: needs the command rollcall, and nothing but the standard library.
//
//	cd examples/testing/go && go test
//
// With client-go, the cluster's client is two lines, and readKubeconfig is not needed:
//
//	config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
//	clientset, err := kubernetes.NewForConfig(config)
package partition

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cluster is the line that rollcall up prints when the nodes are Ready.
type Cluster struct {
	URL        string `json:"url"`
	Kubeconfig string `json:"kubeconfig"`
	Nodes      int    `json:"nodes"`

	client *http.Client
}

// rollcall is how to start the command if it is not on the path: ROLLCALL="npx rollcall".
func rollcall(args ...string) *exec.Cmd {
	words := strings.Fields(os.Getenv("ROLLCALL"))
	if len(words) == 0 {
		words = []string{"rollcall"}
	}
	return exec.Command(words[0], append(words[1:], args...)...)
}

// startCluster starts a cluster that ends with the test. At speed 30, two seconds are a minute of the cluster.
func startCluster(t *testing.T) *Cluster {
	t.Helper()
	// The cluster ends with this process, even if this process is killed.
	up := rollcall("up", "--port=0", "--nodes=3", "--speed=30", "--output=json", fmt.Sprintf("--parent-pid=%d", os.Getpid()))
	output, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = up.Process.Signal(syscall.SIGTERM)
		_ = up.Wait()
	})
	cluster := &Cluster{}
	if err := json.NewDecoder(output).Decode(cluster); err != nil {
		t.Fatalf("rollcall up printed no cluster: %v; run it by hand to see why", err)
	}
	cluster.client = readKubeconfig(t, cluster.Kubeconfig)
	return cluster
}

// readKubeconfig makes a client of the certificates in a kubeconfig.
func readKubeconfig(t *testing.T, file string) *http.Client {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) []byte {
		match := regexp.MustCompile(name + `: "?([A-Za-z0-9+/=]+)`).FindSubmatch(text)
		if match == nil {
			t.Fatalf("%s: has no %s", file, name)
		}
		value, err := base64.StdEncoding.DecodeString(string(match[1]))
		if err != nil {
			t.Fatalf("%s: %s: %v", file, name, err)
		}
		return value
	}
	certificate, err := tls.X509KeyPair(field("client-certificate-data"), field("client-key-data"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(field("certificate-authority-data"))
	config := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}, Timeout: 10 * time.Second}
}

func (cluster *Cluster) get(t *testing.T, path string, object any) {
	t.Helper()
	response, err := cluster.client.Get(cluster.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s: %s", path, response.Status, body)
	}
	if err := json.Unmarshal(body, object); err != nil {
		t.Fatal(err)
	}
}

type node struct {
	Metadata struct{ Name string }
	Status   struct {
		Conditions []struct{ Type, Status string }
	}
}

func (cluster *Cluster) ready(t *testing.T, name string) string {
	t.Helper()
	var found node
	cluster.get(t, "/api/v1/nodes/"+name, &found)
	for _, condition := range found.Status.Conditions {
		if condition.Type == "Ready" {
			return condition.Status
		}
	}
	return ""
}

func (cluster *Cluster) fault(t *testing.T, args ...string) {
	t.Helper()
	command := rollcall(append(append([]string{"fault"}, args...), "--kubeconfig", cluster.Kubeconfig)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen in time")
		}
	}
}

func TestACutOffNodeBecomesUnknown(t *testing.T) {
	cluster := startCluster(t)
	var nodes struct{ Items []node }
	cluster.get(t, "/api/v1/nodes", &nodes)
	if len(nodes.Items) != cluster.Nodes {
		t.Fatalf("found %d nodes, expected %d", len(nodes.Items), cluster.Nodes)
	}
	cluster.fault(t, "partition", "--node", "a-1")
	waitUntil(t, func() bool { return cluster.ready(t, "a-1") == "Unknown" })
	if ready := cluster.ready(t, "a-0"); ready != "True" {
		t.Fatalf("a-0: Ready is %s, expected True", ready)
	}
	cluster.fault(t, "end", "--all")
	waitUntil(t, func() bool { return cluster.ready(t, "a-1") == "True" })
}
