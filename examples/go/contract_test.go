package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The client of the consumer.
func stateOfOrder(url string, id int) (string, error) {
	answer, err := http.Get(fmt.Sprintf("%s/orders/%d", url, id))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var order struct{ State string }
	return order.State, json.NewDecoder(answer.Body).Decode(&order)
}

func ordersContract(t *testing.T, directory string) *Contract {
	t.Helper()
	contract, err := New("go-web", "orders", directory)
	must(t, err)
	t.Cleanup(contract.Free)
	id, err := Matcher("match.int", JSON{"example": 7})
	must(t, err)
	state, err := Matcher("match.regex", JSON{"example": "open", "pattern": "open|shipped"})
	must(t, err)
	_, err = contract.UponReceiving("a request for an order",
		JSON{"given": JSON{"state": "an order exists", "parameters": JSON{"id": 7}}},
		JSON{"with_request": JSON{"method": "GET", "path": "/orders/7"}},
		JSON{"will_respond_with": JSON{"status": 200}},
		JSON{"with_body": JSON{"body": JSON{"id": id, "state": state}}})
	must(t, err)
	return contract
}

func TestConsumer(t *testing.T) {
	contract := ordersContract(t, t.TempDir())
	must(t, contract.Serve(func(url string) error {
		state, err := stateOfOrder(url, 7)
		if err == nil && state != "open" {
			err = fmt.Errorf("the state is %q", state)
		}
		return err
	}))
}

func TestConsumerThatAsksForSomethingElse(t *testing.T) {
	contract := ordersContract(t, t.TempDir())
	err := contract.Serve(func(url string) error {
		_, _ = stateOfOrder(url, 8)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "Unexpected request: GET /orders/8") {
		t.Fatalf("%v", err)
	}
}

func TestProvider(t *testing.T) {
	directory := t.TempDir()
	contract := ordersContract(t, directory)
	must(t, contract.Serve(func(url string) error {
		_, err := stateOfOrder(url, 7)
		return err
	}))

	orders := map[string]bool{}
	service := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if !orders[request.URL.Path] {
			answer.WriteHeader(404)
			return
		}
		answer.Header().Set("Content-Type", "application/json")
		fmt.Fprint(answer, `{"id": 7, "state": "open"}`)
	}))
	defer service.Close()
	verifier := func(handler StateHandler) *Verifier {
		verifier, err := NewVerifier("orders")
		must(t, err)
		t.Cleanup(verifier.Free)
		must(t, verifier.Apply(JSON{"add_source": JSON{"source": directory}}))
		must(t, verifier.Apply(JSON{"add_transport": JSON{"transport": service.URL}}))
		must(t, verifier.State("an order exists", handler))
		return verifier
	}

	must(t, verifier(func(action string, parameters JSON) error {
		orders[fmt.Sprintf("/orders/%v", parameters["id"])] = true
		return nil
	}).Run())
	for name, handler := range map[string]StateHandler{
		"no database": func(string, JSON) error { return errors.New("no database") },
		"panic: oh":   func(string, JSON) error { panic("oh") },
	} {
		err := verifier(handler).Run()
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Fatalf("%v", err)
		}
	}
}

func TestMistakes(t *testing.T) {
	_, err := New("", "orders", "")
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "ERR_CONTRACT_NAME" {
		t.Fatalf("%v", err)
	}
	if _, err := Matcher("match.int", JSON{"example": "seven"}); err == nil {
		t.Fatal("it takes a text for a number")
	}
	if _, err := Matcher("match.\xff", JSON{}); !errors.As(err, &refused) || refused.Code != "ERR_CONTRACT_UTF8" {
		t.Fatalf("%v", err)
	}
	freed := ordersContract(t, t.TempDir())
	freed.Free()
	if _, err := freed.UponReceiving("another"); !errors.As(err, &refused) || refused.Code != "ERR_CONTRACT_HANDLE" {
		t.Fatalf("%v", err)
	}
	freed.Free()
}

// Goroutines can move between threads, so the calls of one test can run on several threads.
func TestSideBySide(t *testing.T) {
	directory := t.TempDir()
	var all sync.WaitGroup
	for number := 0; number < 8; number++ {
		all.Add(1)
		go func(number int) {
			defer all.Done()
			contract, err := New("go-web", "orders", directory)
			if err != nil {
				t.Error(err)
				return
			}
			defer contract.Free()
			path := fmt.Sprintf("/orders/%d", number)
			_, err = contract.UponReceiving(path,
				JSON{"with_request": JSON{"method": "GET", "path": path}},
				JSON{"will_respond_with": JSON{"status": 200, "body": JSON{"state": "open"}}})
			if err == nil {
				err = contract.Serve(func(url string) error {
					_, err := stateOfOrder(url, number)
					return err
				})
			}
			if err != nil {
				t.Error(err)
			}
		}(number)
	}
	all.Wait()
	text, err := os.ReadFile(filepath.Join(directory, "go-web-orders.json"))
	must(t, err)
	if found := strings.Count(string(text), `"description"`); found != 8 {
		t.Fatalf("%d of 8 interactions are in the file", found)
	}
}
