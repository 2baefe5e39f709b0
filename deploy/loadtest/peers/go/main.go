// A peer for the benchmarks: signs promotional offers with Go's net/http and crypto/ecdsa.
//
//	go run main.go evidence.go ledger.go KEY.p8 PORT [LEDGER]
//
// Without LEDGER it reads no evidence, decides nothing and keeps nothing. With it, it does the same work in kind as Offer
// Signer: it reads the evidence, finds the newest transaction, signs, appends a record to the file, with one fdatasync for
// all that came meanwhile, and answers then.
package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const keyIdentifier = "EXAMPLE123"

type offer struct {
	ProductID string `json:"productId"`
	OfferID   string `json:"offerId"`
}

type request struct {
	BundleID        string          `json:"bundleId"`
	AppAccountToken string          `json:"appAccountToken"`
	Evidence        json.RawMessage `json:"evidence"`
	Offers          []offer         `json:"offers"`
}

type discount struct {
	Identifier    string `json:"identifier"`
	KeyIdentifier string `json:"keyIdentifier"`
	Nonce         string `json:"nonce"`
	Timestamp     int64  `json:"timestamp"`
	Signature     string `json:"signature"`
}

type decision struct {
	offer
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason"`
	Discount  *discount `json:"discount,omitempty"`
	ExpiresAt string    `json:"expiresAt,omitempty"`
}

type answer struct {
	BundleID  string            `json:"bundleId"`
	Account   map[string]string `json:"account"`
	Decisions []decision        `json:"decisions"`
}

func uuid() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		log.Fatal(err)
	}
	bytes[6] = bytes[6]&0x0f | 0x40
	bytes[8] = bytes[8]&0x3f | 0x80
	text := hex.EncodeToString(bytes[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func sign(key *ecdsa.PrivateKey, call request, wanted offer) (*discount, error) {
	nonce, timestamp := uuid(), time.Now().UnixMilli()
	fields := []string{
		call.BundleID, keyIdentifier, wanted.ProductID, wanted.OfferID, strings.ToLower(call.AppAccountToken), nonce,
		strconv.FormatInt(timestamp, 10),
	}
	digest := sha256.Sum256([]byte(strings.Join(fields, "\u2063")))
	signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return nil, err
	}
	return &discount{wanted.OfferID, keyIdentifier, nonce, timestamp, base64.StdEncoding.EncodeToString(signature)}, nil
}

func handler(key *ecdsa.PrivateKey, signs bool, records *ledger) http.HandlerFunc {
	return func(writer http.ResponseWriter, incoming *http.Request) {
		var call request
		if err := json.NewDecoder(incoming.Body).Decode(&call); err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		if call.BundleID == "" {
			call.BundleID = "com.example.reader"
		}
		if call.Offers == nil {
			call.Offers = []offer{{"com.example.reader.pro.monthly", "comeback50"}}
		}
		found, reason := transaction{}, "active"
		if records != nil && len(call.Evidence) > 0 {
			var err error
			if found, reason, err = newest(call.Evidence, time.Now()); err != nil {
				http.Error(writer, err.Error(), http.StatusUnprocessableEntity)
				return
			}
		}
		var lines []byte
		result := answer{BundleID: call.BundleID, Account: map[string]string{"appAccountToken": call.AppAccountToken}}
		for _, wanted := range call.Offers {
			made := decision{offer: wanted, Verdict: "eligible", Reason: reason}
			if signs {
				signed, err := sign(key, call, wanted)
				if err != nil {
					http.Error(writer, err.Error(), http.StatusInternalServerError)
					return
				}
				made.Discount = signed
				if records != nil {
					lines = append(lines, record(call, found, wanted, signed)...)
				}
				made.ExpiresAt = time.UnixMilli(signed.Timestamp).Add(24 * time.Hour).UTC().Format(time.RFC3339)
			}
			result.Decisions = append(result.Decisions, made)
		}
		if len(lines) > 0 {
			if err := records.append(lines); err != nil {
				http.Error(writer, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		body, err := json.Marshal(result)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write(body)
	}
}

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		log.Fatal("usage: peer KEY.p8 PORT [LEDGER]")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		log.Fatal("no PEM in ", os.Args[1])
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		log.Fatal(err)
	}
	key, isECDSA := parsed.(*ecdsa.PrivateKey)
	if !isECDSA {
		log.Fatal("no ECDSA key in ", os.Args[1])
	}
	var records *ledger
	if len(os.Args) == 4 {
		records = openLedger(os.Args[3])
	}
	http.HandleFunc("/v1/signatures", handler(key, true, records))
	http.HandleFunc("/v1/eligibility", handler(key, false, records))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
}
