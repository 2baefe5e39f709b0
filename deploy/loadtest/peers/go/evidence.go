package main

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"sync"
	"time"
)

// A purchase, in the words of verifyReceipt; those of StoreKit 2 are read into it.
type transaction struct {
	ProductID             string `json:"product_id"`
	OriginalTransactionID string `json:"original_transaction_id"`
	PurchaseDate          int64  `json:"purchase_date_ms,string"`
	ExpiresDate           int64  `json:"expires_date_ms,string"`
}

type signedTransaction struct {
	ProductID             string `json:"productId"`
	OriginalTransactionID string `json:"originalTransactionId"`
	PurchaseDate          int64  `json:"purchaseDate"`
	ExpiresDate           int64  `json:"expiresDate"`
}

type renewal struct {
	OriginalTransactionID string `json:"original_transaction_id"`
	AutoRenewStatus       string `json:"auto_renew_status"`
}

type signedRenewal struct {
	OriginalTransactionID string `json:"originalTransactionId"`
	AutoRenewStatus       int    `json:"autoRenewStatus"`
}

type evidence struct {
	ReceiptResponse *struct {
		Status      int           `json:"status"`
		LatestInfo  []transaction `json:"latest_receipt_info"`
		PendingInfo []renewal     `json:"pending_renewal_info"`
	} `json:"receiptResponse"`
	SignedTransactions []string `json:"signedTransactions"`
	SignedRenewalInfos []string `json:"signedRenewalInfos"`
}

// Reads the evidence, and finds the newest transaction and the state of its subscription.
func newest(text json.RawMessage, now time.Time) (transaction, string, error) {
	var read evidence
	if err := json.Unmarshal(text, &read); err != nil {
		return transaction{}, "", err
	}
	var all []transaction
	renews := map[string]bool{}
	if read.ReceiptResponse != nil {
		all = read.ReceiptResponse.LatestInfo
		for _, info := range read.ReceiptResponse.PendingInfo {
			renews[info.OriginalTransactionID] = info.AutoRenewStatus == "1"
		}
	}
	for _, text := range read.SignedTransactions {
		var signed signedTransaction
		if err := verified(text, &signed); err != nil {
			return transaction{}, "", err
		}
		all = append(all, transaction(signed))
	}
	for _, text := range read.SignedRenewalInfos {
		var signed signedRenewal
		if err := verified(text, &signed); err != nil {
			return transaction{}, "", err
		}
		renews[signed.OriginalTransactionID] = signed.AutoRenewStatus == 1
	}
	if len(all) == 0 {
		return transaction{}, "", errors.New("the evidence has no transaction")
	}
	found := all[0]
	for _, other := range all[1:] {
		if other.PurchaseDate > found.PurchaseDate {
			found = other
		}
	}
	switch {
	case found.ExpiresDate <= now.UnixMilli():
		return found, "lapsed", nil
	case renews[found.OriginalTransactionID]:
		return found, "active", nil
	default:
		return found, "active_auto_renew_off", nil
	}
}

// The keys of the headers that were seen. Whether a chain ends at Apple's root is not looked at: Offer Signer does that
// once for each header, too.
var keys sync.Map

// Reads what is signed, once the signature is good.
func verified(text string, payload any) error {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return errors.New("this is no JWS")
	}
	key, err := keyOf(parts[0])
	if err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return errors.New("the signature is malformed")
	}
	digest := sha256.Sum256([]byte(text[:len(parts[0])+1+len(parts[1])]))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !ecdsa.Verify(key, digest[:], r, s) {
		return errors.New("the signature is wrong")
	}
	bytes, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, payload)
}

func keyOf(header string) (*ecdsa.PublicKey, error) {
	if key, isKnown := keys.Load(header); isKnown {
		return key.(*ecdsa.PublicKey), nil
	}
	text, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil {
		return nil, err
	}
	var read struct {
		Chain []string `json:"x5c"`
	}
	if err := json.Unmarshal(text, &read); err != nil || len(read.Chain) == 0 {
		return nil, errors.New("the header has no chain")
	}
	der, err := base64.StdEncoding.DecodeString(read.Chain[0])
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	key, isECDSA := leaf.PublicKey.(*ecdsa.PublicKey)
	if !isECDSA {
		return nil, errors.New("the leaf has no ECDSA key")
	}
	keys.Store(header, key)
	return key, nil
}
