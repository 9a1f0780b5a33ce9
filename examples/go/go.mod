module example.com/contract

go 1.18
