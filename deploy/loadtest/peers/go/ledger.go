package main

import (
	"encoding/json"
	"log"
	"os"
	"syscall"
)

// A file of records, one a line: what waits is one write and one fdatasync.
type ledger struct {
	waiting chan entry
}

type entry struct {
	lines []byte
	done  chan error
}

func openLedger(path string) *ledger {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	opened := &ledger{make(chan entry, 4096)}
	go opened.write(file)
	return opened
}

// Appends lines, and waits until they are on durable storage.
func (records *ledger) append(lines []byte) error {
	done := make(chan error, 1)
	records.waiting <- entry{lines, done}
	return <-done
}

func (records *ledger) write(file *os.File) {
	for first := range records.waiting {
		lines, batch := first.lines, []chan error{first.done}
		for more := true; more; {
			select {
			case next := <-records.waiting:
				lines, batch = append(lines, next.lines...), append(batch, next.done)
			default:
				more = false
			}
		}
		_, err := file.Write(lines)
		if err == nil {
			err = syscall.Fdatasync(int(file.Fd()))
		}
		for _, done := range batch {
			done <- err
		}
	}
}

// What is kept of a signature.
func record(call request, found transaction, wanted offer, signed *discount) []byte {
	line, err := json.Marshal(map[string]any{
		"account": call.AppAccountToken, "bundleId": call.BundleID, "offerId": wanted.OfferID, "productId": wanted.ProductID,
		"originalTransactionId": found.OriginalTransactionID, "nonce": signed.Nonce, "timestamp": signed.Timestamp,
	})
	if err != nil {
		log.Fatal(err)
	}
	return append(line, '\n')
}
